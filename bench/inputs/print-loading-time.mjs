// Prints the CPU time in ms that this process takes to load a module and, if the module has turns, the code that runs them.
const [specifier] = process.argv.slice(2);
const before = process.cpuUsage();
const { preloadTurns } = await import(specifier);
await preloadTurns?.();
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1000);
