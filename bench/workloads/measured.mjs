/**
 * The CPU time in µs that this process spends on `work`, including compilation and garbage collection.
 *
 * No garbage collection is forced before it: V8 keeps optimised code only as long as the objects that it was optimised for. A forced
 * collection between two turns removes the code together with the earlier turn, and then the compiler is measured.
 */
export async function measured(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuUs: user + system };
}
