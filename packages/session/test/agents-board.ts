import { scriptedProvider, callTools } from '@banister/testing';
import { defineAgent, defineTool, type Agent, type Domain, type RunResult } from '@banister/session';

/** A tool that runs agents side by side, and keeps their results. */
export function team(results: RunResult[] = []): Domain {
  const work = defineTool({
    name: 'work',
    description: 'Lets agents work.',
    parameters: { type: 'object', properties: { agents: { type: 'array', items: { type: 'string' } } } },
    capabilities: ['readOnly'],
    async execute({ agents = [] }, { run }) {
      const ended = await Promise.all((agents as string[]).map((agent) => run(agent, `Work, ${agent}.`)));
      results.push(...ended);
      return ended.map(({ status, text }) => `${status}: ${text}`).join('\n');
    },
  });
  return { id: 'team', tools: [work] };
}

export const delegate = (...agents: readonly string[]) => callTools({ tool: 'team.work', args: { agents } });

export const agent = (id: string, answers: Parameters<typeof scriptedProvider>[0]): Agent =>
  defineAgent({ id, role: `You are ${id}.`, tools: ['board', 'team'], provider: scriptedProvider(answers) });

/** A board whose tool adds a card, and names the card as the part that it touches. It notes each move of a card. */
export function pathBoard() {
  const cards: string[] = [];
  const moves: string[] = [];
  const tools = [
    defineTool({
      name: 'add',
      description: 'Adds a card.',
      parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
      execute({ title }, { undo }) {
        cards.push(title);
        undo({
          description: title,
          paths: [`cards/${title}`],
          revert() {
            moves.push(`-${title}`);
            cards.splice(cards.indexOf(title), 1);
          },
          reapply() {
            moves.push(`+${title}`);
            cards.push(title);
          },
        });
      },
    }),
    defineTool({
      name: 'look',
      description: 'Reads the board.',
      parameters: { type: 'object', properties: {} },
      capabilities: ['readOnly'],
      execute: () => cards.join(),
    }),
  ];
  const domain: Domain = { id: 'board', tools };
  return { cards, moves, domain };
}

export const add = (title: string) => callTools({ tool: 'board.add', args: { title } });
