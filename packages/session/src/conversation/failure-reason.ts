/**
 * Why an effect stays as it is, if this library found the reason, as a code with its values:
 *
 * - `changed`: the user changed it in the meantime; `paths` names the changed parts of the app if they are known, otherwise `domains`.
 * - `absent`: its change at `paths` is not in the state of this page, and no change in this page removed it: this page does not share the
 *   state of the page that made the change.
 * - `too-slow`: the code of the tool, or the app's history, did not answer within `ms` milliseconds.
 * - `not-redoable`: it cannot be made again; with `paths` if the object that it changed was removed since.
 * - `dependent-stays`: another effect depends on it, and stays.
 * - `not-decided`: its review ended before it was accepted or taken back.
 * - `not-restored`: after a command that failed, it could not be put back to where it was.
 * - `other-not-restored`: another turn that changed the same part could not be put back.
 */
export type FailureReason =
  | { readonly code: 'changed'; readonly domains?: readonly string[]; readonly paths?: readonly string[] }
  | { readonly code: 'absent'; readonly paths: readonly string[] }
  | { readonly code: 'not-redoable'; readonly paths?: readonly string[] }
  | { readonly code: 'too-slow'; readonly ms: number }
  | { [Code in PlainCode]: { readonly code: Code } }[PlainCode];

type PlainCode = 'dependent-stays' | 'not-decided' | 'not-restored' | 'other-not-restored';

/** Why an effect stays as it is. */
export interface EffectFailure {
  /** A sentence for the user, from the tool or the app's history, or an English one. */
  readonly reason: string;
  /** The code and the values of the reason, if it is a reason of this library. */
  readonly because?: FailureReason;
}
