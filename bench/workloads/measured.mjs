/**
 * What running `work` cost this process: CPU time in µs, compilation and garbage collection included.
 *
 * Nothing is collected by force before: V8 holds optimised code by the objects that it was optimised for, weakly, so that
 * a forced collection between two turns throws the code away with the earlier turn, and what is measured is the compiler.
 */
export async function measured(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: user + system };
}
