/** A sentence that shows that the model knows what became of its earlier work. */
export function wordOnNote(note: string | null): string {
  if (note === null) return '';
  const reverted = effectsIn(
    note,
    /(?:These effects were reverted|rejected these effects[,;] they were reverted|The user then undid these effects): (.*)\.$/gm,
  );
  const lasting = effectsIn(note, /(?:still in effect|The user kept these effects): (.*)\.$/gm);
  const redone = effectsIn(note, /re-did these effects, they are in effect: (.*)\.$/gm);
  const sentences = [
    ...(reverted > 0 ? [`I know that ${changes(reverted)} of mine ${were(reverted)} taken back.`] : []),
    ...(lasting > 0 ? [`I know that ${changes(lasting)} of mine ${are(lasting)} still in effect.`] : []),
    ...(redone > 0 ? [`I know that ${changes(redone)} of mine ${are(redone)} back.`] : []),
  ];
  return sentences.join(' ');
}

function effectsIn(note: string, lines: RegExp): number {
  // Each effect ends with the name of its tool in brackets.
  const counts = [...note.matchAll(lines)].map(([, line]) => line!.match(/\(board\.\w+\)/g)?.length ?? 1);
  return counts.reduce((sum, count) => sum + count, 0);
}

const changes = (count: number): string => (count === 1 ? 'a change' : `${count} changes`);
const were = (count: number): string => (count === 1 ? 'was' : 'were');
const are = (count: number): string => (count === 1 ? 'is' : 'are');
