/** What running `work` cost this process: CPU time in µs (garbage collection and compilation included), wall time in ms. */
export async function measured(work) {
  globalThis.gc();
  globalThis.gc();
  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  await work();
  const wallMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { cpuUs: user + system, wallMs };
}
