import type { ProviderEvent } from '@banister/provider';

/** Returns what the events of an answer violate in the contract of the provider port; empty if they are valid. */
export function checkEvents(events: readonly ProviderEvent[], mustFinish: boolean): readonly string[] {
  const problems: string[] = [];
  const tools: string[] = [];
  let finished = false;
  events.forEach((event, position) => {
    const say = (problem: string) => problems.push(`event ${position} (${event.type}): ${problem}`);
    if (finished && event.type === 'finish') say('the answer finishes twice');
    else if (finished && event.type !== 'usage') say('only usage may follow finish');
    if (event.type === 'finish') finished = true;
    if (event.type === 'inner-call') {
      if (tools.length > 0) say('calls inside an answer come before those that it ends with');
      if (event.tool === '') say('it does not name its tool');
    }
    if (event.type !== 'tool-call') return;
    const { index, tool } = event;
    const known = tools[index];
    if (known !== undefined) {
      if (tool !== undefined && tool !== known)
        say(`call ${index} is for "${known}" and cannot become "${tool}"`);
    } else if (index !== tools.length) {
      say(`a new call must have index ${tools.length}, not ${index}`);
    } else if (tool === undefined || tool === '') {
      say(`the first piece of call ${index} does not name its tool`);
    }
    if (known === undefined) tools[index] = tool ?? '';
  });
  if (mustFinish && !finished) problems.push('the answer ends without finish');
  return problems;
}
