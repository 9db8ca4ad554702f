import { RegExpParser, type AST } from '@eslint-community/regexpp';

/**
 * Tests a text. The number of steps is proportional to the length of the text times the length of the pattern. Backtracking engines, such
 * as the engines of all browsers, may take exponential time.
 */
type LinearPattern = (text: string) => boolean;

/** A state of the automaton: it reads a character, requires an assertion at its place, or only has successors. */
interface State {
  readonly id: number;
  readonly reads?: (char: string) => boolean;
  readonly holds?: (chars: readonly string[], at: number) => boolean;
  next: readonly State[];
}

/** The flags besides `u` that a part of a pattern can set: `(?i:…)`. */
interface Modes {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

type Direction = 1 | -1;

/** An element that reads one character. */
type Reading = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

/** The maximal number of states of an automaton. It limits the memory. `(.{0,20}){0,1000}` has about 20,000 states. */
const maxStates = 50_000;

/** The remaining steps of the running check, see {@link limitSteps}. One counter is enough, because checks are synchronous. */
let stepsLeft = Infinity;

/** Thrown when a check has used all its steps. */
export class StepLimitError extends Error {}

/**
 * Runs code whose patterns may take this many steps in total, including the steps to compile them. Throws {@link StepLimitError} if they
 * need more.
 */
export function limitSteps<T>(steps: number, run: () => T): T {
  stepsLeft = steps;
  try {
    return run();
  } finally {
    stepsLeft = Infinity;
  }
}

/**
 * Compiles a pattern in the form of JSON Schema: a JavaScript regular expression with the flag `u`, which matches anywhere in a text.
 *
 * The automaton follows all paths through the pattern at the same time, and not one after the other (Thompson 1968). Single characters are
 * tested with the browser's own engine, so that classes and Unicode properties match exactly as there.
 *
 * @throws Error for a backreference, which an automaton cannot match, and for counts that need too many states
 */
export function linearPattern(source: string): LinearPattern {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, { unicode: true });
  const automaton = automatonOf(pattern.alternatives, 1, {
    ignoreCase: false,
    multiline: false,
    dotAll: false,
  });
  return (text) => {
    spend(text.length);
    return automaton(Array.from(text), () => true);
  };
}

/** Finds matches that begin at any place. Calls `reached` with the end of each match, until `reached` returns true. */
type Automaton = (chars: readonly string[], reached: (at: number) => boolean) => boolean;

/** Compiles a pattern, or the inside of a lookaround. With direction -1 the text is read backwards, from the end of a match. */
function automatonOf(
  alternatives: readonly AST.Alternative[],
  direction: Direction,
  flags: Modes,
): Automaton {
  const states = new StateBuilder(direction);
  const end = states.add({});
  const start = states.either(alternatives, flags, end);
  return simulation(start, end, states.size, direction);
}

/** Builds the states of one automaton, starting from its end. Each method returns the state before an element, given the state after it. */
class StateBuilder {
  /** The number of states. It is also the id of the last state. */
  size = 0;
  /** The reader of each element. An element with a count is built many times, with the same reader. */
  private readonly readers = new Map<Reading, NonNullable<State['reads']>>();

  constructor(private readonly direction: Direction) {}

  add(rest: Partial<Omit<State, 'id'>>): State {
    spend(1);
    if (++this.size > maxStates) throw new Error('its counts are too large');
    return { id: this.size, next: [], ...rest };
  }

  either(options: readonly AST.Alternative[], modes: Modes, next: State): State {
    return this.add({ next: options.map(({ elements }) => this.sequence(elements, modes, next)) });
  }

  private sequence(elements: readonly AST.Element[], modes: Modes, next: State): State {
    return this.direction === 1
      ? elements.reduceRight((after, element) => this.element(element, modes, after), next)
      : elements.reduce((after, element) => this.element(element, modes, after), next);
  }

  private element(element: AST.Element, modes: Modes, next: State): State {
    switch (element.type) {
      case 'Group':
        return this.either(element.alternatives, modified(modes, element.modifiers), next);
      case 'CapturingGroup':
        return this.either(element.alternatives, modes, next);
      case 'Quantifier':
        return this.repeat(element, modes, next);
      case 'Assertion':
        return this.add({ holds: assertion(element, modes), next: [next] });
      case 'Backreference':
        throw new Error(`it refers back to what a group matched: ${element.raw}`);
      default:
        return this.add({ reads: this.readerOf(element, modes), next: [next] });
    }
  }

  private repeat({ element, min, max }: AST.Quantifier, modes: Modes, next: State): State {
    let entry = next;
    if (max === Infinity) {
      const loop = this.add({});
      loop.next = [this.element(element, modes, loop), next];
      entry = loop;
    } else {
      for (let n = min; n < max; n++) entry = this.add({ next: [this.element(element, modes, entry), next] });
    }
    for (let n = 0; n < min; n++) entry = this.add({ next: [this.element(element, modes, entry)] });
    return entry;
  }

  private readerOf(element: Reading, modes: Modes): NonNullable<State['reads']> {
    const reads = this.readers.get(element) ?? reader(element, modes);
    this.readers.set(element, reads);
    return reads;
  }
}

/** Runs an automaton. At each place of the text it has the set of states that are reached there. */
function simulation(start: State, end: State, size: number, direction: Direction): Automaton {
  /** The place at which each state was last entered, so that a state is entered only once per place. */
  const entered = new Float64Array(size + 1);
  let place = 0;
  let current: State[] = [];
  let following: State[] = [];
  const pending: State[] = [];

  return (chars, reached) => {
    /** Enters a state and all its successors, up to the states that read a character. Returns true if `reached` returned true. */
    const enter = (first: State, at: number): boolean => {
      pending.length = 0;
      for (let state: State | undefined = first; state; state = pending.pop()) {
        if (entered[state.id] === place) continue;
        entered[state.id] = place;
        spend(1);
        if (state === end && reached(at)) return true;
        if (state.reads) following.push(state);
        else if (!state.holds || state.holds(chars, at)) {
          for (const next of state.next) pending.push(next);
        }
      }
      return false;
    };

    current.length = 0;
    const last = direction === 1 ? chars.length : 0;
    for (let at = chars.length - last; ; at += direction) {
      following.length = 0;
      place++;
      for (const { reads, next } of current) {
        spend(1);
        if (reads!(chars[direction === 1 ? at - 1 : at]!) && enter(next[0]!, at)) return true;
      }
      if (enter(start, at)) return true;
      if (at === last) return false;
      [current, following] = [following, current];
    }
  };
}

/**
 * Compiles a lookaround. It is evaluated for all places of a text at once. For a lookahead, the text is read backwards, so that each match
 * ends at its place.
 */
function lookaround(element: AST.LookaroundAssertion, modes: Modes): NonNullable<State['holds']> {
  const automaton = automatonOf(element.alternatives, element.kind === 'lookahead' ? -1 : 1, modes);
  const known = new WeakMap<readonly string[], Uint8Array>();
  const placesIn = (chars: readonly string[]): Uint8Array => {
    const places = new Uint8Array(chars.length + 1);
    automaton(chars, (at) => {
      places[at] = 1;
      return false;
    });
    known.set(chars, places);
    return places;
  };
  return (chars, at) => ((known.get(chars) ?? placesIn(chars))[at] === 1) !== element.negate;
}

function spend(steps: number): void {
  stepsLeft -= steps;
  if (stepsLeft < 0) throw new StepLimitError('the patterns take too many steps together');
}

function assertion(element: AST.Assertion, modes: Modes): NonNullable<State['holds']> {
  switch (element.kind) {
    case 'start':
      return (chars, at) => at === 0 || (modes.multiline && /[\n\r\u2028\u2029]/.test(chars[at - 1]!));
    case 'end':
      return (chars, at) => at === chars.length || (modes.multiline && /[\n\r\u2028\u2029]/.test(chars[at]!));
    case 'word': {
      const word = single('\\w', modes);
      const isWord = (char: string | undefined) => char !== undefined && word(char);
      return (chars, at) => (isWord(chars[at - 1]) !== isWord(chars[at])) !== element.negate;
    }
    default:
      return lookaround(element, modes);
  }
}

function reader(element: Reading, modes: Modes): NonNullable<State['reads']> {
  if (element.type === 'Character' && !modes.ignoreCase) {
    const expected = String.fromCodePoint(element.value);
    return (char) => char === expected;
  }
  return single(element.raw, modes);
}

/** Returns a test of single characters with the browser's own engine. */
function single(source: string, { ignoreCase, dotAll }: Modes): (char: string) => boolean {
  const pattern = new RegExp(`^${source}$`, `u${ignoreCase ? 'i' : ''}${dotAll ? 's' : ''}`);
  /** The results for ASCII characters, because most texts consist of them. */
  const known: boolean[] = [];
  return (char) => {
    const code = char.charCodeAt(0);
    return code < 128 ? (known[code] ??= pattern.test(char)) : pattern.test(char);
  };
}

function modified(modes: Modes, modifiers: AST.Modifiers | null): Modes {
  if (!modifiers) return modes;
  const { add, remove } = modifiers;
  const flag = (name: keyof Modes) => (modes[name] || (add?.[name] ?? false)) && !(remove?.[name] ?? false);
  return { ignoreCase: flag('ignoreCase'), multiline: flag('multiline'), dotAll: flag('dotAll') };
}
