import { main as runGateway } from '@banister/gateway/command';

/** Runs the command of the gateway from the sources, which are loaded as long as it runs: a signal ends the process. */
export async function main(): Promise<never> {
  await runGateway(process);
  return new Promise(() => {});
}
