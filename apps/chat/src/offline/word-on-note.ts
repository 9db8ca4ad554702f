/** Tells the user below the answer what became of the model's earlier work, and that it stays so. */
export function wordOnNote(note: string | null): string {
  if (note === null) return '';
  const reverted = effectsIn(
    note,
    /(?:These effects were reverted|rejected these effects[,;] they were reverted|The user then undid these effects): (.*)\.$/gm,
  );
  const lasting = effectsIn(note, /(?:still in effect|The user kept these effects): (.*)\.$/gm);
  const redone = effectsIn(note, /re-did these effects, they are in effect: (.*)\.$/gm);
  const sentences = [
    ...(reverted > 0 ? [`${changes(reverted)} of mine ${stay(reverted)} taken back.`] : []),
    ...(lasting > 0 ? [`${changes(lasting)} of mine ${stay(lasting)} in effect.`] : []),
    ...(redone > 0 ? [`${changes(redone)} of mine ${are(redone)} in effect again.`] : []),
  ];
  return sentences.join(' ');
}

function effectsIn(note: string, lines: RegExp): number {
  // Each effect ends with the name of its tool in brackets.
  const counts = [...note.matchAll(lines)].map(([, line]) => line!.match(/\(board\.\w+\)/g)?.length ?? 1);
  return counts.reduce((sum, count) => sum + count, 0);
}

const changes = (count: number): string => (count === 1 ? 'An earlier change' : `${count} earlier changes`);
const stay = (count: number): string => (count === 1 ? 'stays' : 'stay');
const are = (count: number): string => (count === 1 ? 'is' : 'are');
