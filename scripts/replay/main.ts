import { replay } from './replay.js';
import { replayIndex } from './replay-index.js';
import { parseCommand, UsageError } from './replay-options.js';
import { usageText } from './usage-text.js';

/** Runs the command line, printing to the console. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const command = parseCommand(args);
    switch (command.kind) {
      case 'help':
        console.log(usageText);
        return 0;
      case 'index':
        return (await replayIndex(command.file, command.chunking, console.log)) === 0 ? 0 : 1;
      case 'one':
        console.log(JSON.stringify(await replay(command.api, command.script)));
        return 0;
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${error.message}\nFor help: npm run --silent replay -- --help`);
    return 2;
  }
}
