const PATH = 200;
const BRANCHES = 300;
const TURNS_OF_BRANCH = 6;

/** A saved conversation of 2,000 turns: an open path of 200 turns, and 300 branches of 6 turns that begin at its turns. */
export function branchedConversation() {
  const turns = [];
  const add = (parentId) => {
    const number = turns.length + 1;
    turns.push(turnOf(number, parentId));
    return `turn_${number}`;
  };
  const path = [];
  for (let count = 0; count < PATH; count++) path.push(add(path.at(-1) ?? null));
  /** The last turn of each branch. */
  const heads = [];
  for (let branch = 0; branch < BRANCHES; branch++) {
    let head = path[branch % (PATH - 1)];
    for (let count = 0; count < TURNS_OF_BRANCH; count++) head = add(head);
    heads.push(head);
  }
  const conversation = {
    version: 3,
    sequence: 20_000,
    head: path.at(-1),
    prefix: [],
    turns,
    marks: [],
    redo: [],
  };
  return { conversation, heads };
}

/** The messages that a view shows for the path to a turn. */
export function shownOnPath({ turns }, head) {
  const records = new Map(turns.map(({ record }) => [record.id, record]));
  const shown = [];
  for (let id = head; id !== null; id = records.get(id).parentId) {
    const { input, rounds } = records.get(id);
    const answer = { id: `${id}-0`, text: rounds[0].parts[0].text };
    shown.unshift({ id: `${id}-input`, text: input.parts[0].text }, answer);
  }
  return shown;
}

function turnOf(number, parentId) {
  const text = `Answer ${number}: some words about the question, about eighty characters long in all.`;
  return {
    record: {
      id: `turn_${number}`,
      parentId,
      input: {
        id: `question_${number}`,
        role: 'user',
        parts: [{ type: 'text', text: `Question ${number}` }],
      },
      rounds: [{ parts: [{ type: 'text', text }] }],
      status: 'completed',
      outcome: { status: 'completed', usage: null, rounds: 1 },
      effects: [],
    },
    messages: ['input', { id: `answer_${number}`, role: 'assistant', parts: [[0, 0]] }],
  };
}
