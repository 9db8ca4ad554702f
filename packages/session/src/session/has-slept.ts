/**
 * Returns true if a timer fired so late that the page or the computer must have slept. Then answers and messages that arrived meanwhile may
 * be unread.
 *
 * @param passed the time since the timer was set, in milliseconds
 * @param ms the time for which the timer was set
 */
export function hasSlept(passed: number, ms: number): boolean {
  return passed < 0 || passed >= 2 * ms;
}
