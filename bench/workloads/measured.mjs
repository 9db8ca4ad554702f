/**
 * The CPU time in µs that this process spends on `work`, compilation and garbage collection included.
 *
 * No garbage collection is forced before it: V8 holds optimised code weakly, by the objects that it was optimised for. A
 * forced collection between two turns removes the code together with the earlier turn, and the figure is the compiler's.
 */
export async function measured(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: user + system };
}
