/**
 * Whether a timer fired so late that this page slept, or its computer did: answers and messages that arrived meanwhile may be unread.
 *
 * @param passed the time since the timer was set, in milliseconds
 * @param ms the time for which it was set
 */
export function hasSlept(passed: number, ms: number): boolean {
  return passed < 0 || passed >= 2 * ms;
}
