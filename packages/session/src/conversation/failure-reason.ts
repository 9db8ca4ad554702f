/**
 * The reason of this library for which an effect stays as it is, as a code with its values:
 *
 * - `changed`: the user changed it in the meantime; `domains` where no more is known, and the `paths` of the parts of the app where they are.
 * - `absent`: its change at `paths` is not in the state of this page, and no change in this page removed it: the page does not share the state
 *   of the one that made it.
 * - `too-slow`: the code of the tool, or the app's history, did not answer within `ms` milliseconds.
 * - `not-redoable`: it cannot be made again; with `paths` where what it changed was removed since.
 * - `dependent-stays`: another effect depends on it, and stays.
 * - `not-decided`: its review ended before it was accepted or taken back.
 * - `not-restored`: after a command that failed, it could not be put back to where it was.
 * - `other-not-restored`: another turn that changed the same could not be put back.
 */
export type FailureReason =
  | { readonly code: 'changed'; readonly domains?: readonly string[]; readonly paths?: readonly string[] }
  | { readonly code: 'absent'; readonly paths: readonly string[] }
  | { readonly code: 'not-redoable'; readonly paths?: readonly string[] }
  | { readonly code: 'too-slow'; readonly ms: number }
  | { [Code in PlainCode]: { readonly code: Code } }[PlainCode];

type PlainCode = 'dependent-stays' | 'not-decided' | 'not-restored' | 'other-not-restored';

/** The reason for which an effect stays as it is. */
export interface EffectFailure {
  /** A sentence for the user: the words of the tool or of the app's history, else an English one. */
  readonly reason: string;
  /** Where the reason is one of this library: its code and its values. */
  readonly because?: FailureReason;
}
