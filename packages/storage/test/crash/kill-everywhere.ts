import { createDeterministicRandom } from '@banister/testing';
import { KilledBrowser } from './killed-browser.js';
import { KilledScript, type Kill, type KilledLife } from './killed-script.js';
import { ServedPage } from './served-page.js';

/** Slightly fewer records than the script writes, because their number depends on how long steps take. */
const RECORDS = 280;

/** How many runs are played in parallel. A run whose browser is killed is played alone. */
const LANES = 2;

/** The first problem of a run is the cause of most others. */
const SHOWN = 5;

/**
 * Returns runs with kills at random moments, the same for the same seed. In every `browsers`th run, one kill
 * kills the browser.
 */
export function drawnLives(
  seed: number,
  { lives, kills, browsers }: { readonly lives: number; readonly kills: number; readonly browsers: number },
): readonly KilledLife[] {
  const random = createDeterministicRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const part = Math.floor(RECORDS / kills);
  return Array.from({ length: lives }, (_, life) => {
    const ofBrowser = life % browsers === browsers - 1 ? below(kills) : -1;
    return {
      tabs: below(2) === 0 ? 1 : 2,
      kills: Array.from({ length: kills }, (__, at) => ({
        revision: 1 + at * part + below(part),
        plus: below(3),
        by: below(2) === 0 ? 'resume' : 'abandon',
        kills: at === ofBrowser ? 'browser' : 'page',
      })),
    };
  });
}

/**
 * Returns runs that kill after every record, with one tab and with two tabs. Every 20th kill kills the
 * browser.
 */
export function allLives(): readonly KilledLife[] {
  const apart = 28;
  const kill = (revision: number, tabs: number): Kill => ({
    revision,
    plus: revision % 3,
    by: (revision + tabs) % 2 === 0 ? 'resume' : 'abandon',
    kills: revision % 20 === 0 ? 'browser' : 'page',
  });
  return Array.from({ length: apart }, (_, first) => first + 1).flatMap((first) =>
    ([1, 2] as const).map((tabs) => ({
      tabs,
      kills: Array.from({ length: RECORDS / apart }, (__, at) => kill(first + at * apart, tabs)),
    })),
  );
}

/** Plays runs. Calls `checked` for each run, with its description and its problems. */
export async function killEverywhere(
  lives: readonly KilledLife[],
  checked: (life: string, problems: readonly string[]) => void,
): Promise<void> {
  const served = await ServedPage.start('crash-page');
  const inLanes = async (waiting: KilledLife[], lanes: number, kind: string) => {
    if (waiting.length === 0) return;
    const browser = await KilledBrowser.start();
    let count = 0;
    const lane = async () => {
      for (let life = waiting.shift(); life !== undefined; life = waiting.shift()) {
        const script = new KilledScript(life, `${kind}-${++count}`, browser, served);
        const { problems } = script.account;
        await script.play().catch((error: unknown) => problems.unshift(String(error)));
        checked(JSON.stringify(life), problems.slice(0, SHOWN));
      }
    };
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
    } finally {
      await browser.close();
    }
  };
  const killsBrowser = ({ kills }: KilledLife) => kills.some((kill) => kill.kills === 'browser');
  try {
    await Promise.all([
      inLanes(
        lives.filter((life) => !killsBrowser(life)),
        LANES,
        'page',
      ),
      inLanes(lives.filter(killsBrowser), 1, 'browser'),
    ]);
  } finally {
    served.close();
  }
}
