import { createDeterministicRandom } from '@banister/testing';
import { createBodyPlayer, type BodyPlayer } from './played-turn.js';
import type { Recording } from './recording.js';
import { count, type Tally } from './tally.js';

/** Longer bodies are left to the other checks, because here each body is played many times. */
const LONGEST = 16 * 1024;

/**
 * Plays recordings with a flipped bit, a lost event or a repeated event, chosen by the seed. In every case the turn must end in one of the
 * session's own ways.
 */
export async function checkCorruptions(
  recordings: readonly Recording[],
  seeds: Iterable<number>,
  tally: Tally,
): Promise<void> {
  const small = recordings.filter(({ body }) => body.length <= LONGEST);
  const players = new Map<Recording, BodyPlayer>();
  for (const seed of seeds) {
    const random = createDeterministicRandom(seed);
    const recording = small[Math.floor(random() * small.length)]!;
    const { name, api, body } = recording;
    const player = players.get(recording) ?? (await createBodyPlayer(api, body));
    players.set(recording, player);
    try {
      const { problems } = await player.play(corrupt(body, random));
      count(tally, `${name}, seed ${seed}`, problems);
    } catch (error) {
      count(tally, `${name}, seed ${seed}`, [`throws ${String(error)}`]);
    }
  }
}

function corrupt(body: Buffer, random: () => number): Buffer {
  const kind = Math.floor(random() * 3);
  if (kind === 0) {
    const flipped = Buffer.from(body);
    const at = Math.floor(random() * body.length);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return flipped;
  }
  const events = body.toString('latin1').split(/(?<=\n\r?\n)/);
  const at = Math.floor(random() * events.length);
  events.splice(at, kind === 1 ? 1 : 0, ...(kind === 1 ? [] : [events[at] ?? '']));
  return Buffer.from(events.join(''), 'latin1');
}
