import type { Input, JsonObject } from '@banister/provider';
import type { Ports } from '../ports/ports.js';
import type { Arguments, ToolSchema } from '../tools/tool.js';
import type { GenerateOptions, LocalAgentSession } from '../session/agent-session.js';
import { generationCode } from './generation-code.js';
import { askedOutput } from './output-options.js';
import type { MessageFiles } from '../session/message-files.js';
import type { SessionCommands } from '../session/session-commands.js';
import type { SessionLane } from '../session/session-lane.js';

/** The parts of a session that `generate` uses. */
interface GenerateParts {
  readonly lane: SessionLane;
  readonly commands: SessionCommands;
  readonly files: MessageFiles;
  readonly ports: Pick<Ports, 'clock'>;
}

/**
 * Returns the method `generate`. Another session receives the schema as JSON Schema, and sends the output back as JSON; a schema library
 * transforms the output here.
 */
export function generateMethod({
  lane,
  commands,
  files,
  ports: { clock },
}: GenerateParts): LocalAgentSession['generate'] {
  const generate = async (prompt: Input, given: ToolSchema, options?: GenerateOptions) => {
    const asked = askedOutput(given, 'The output of generate');
    const { schema, library } = asked;
    let isHere = false;
    const output = await files.turn(prompt, options, (read) =>
      lane.enter('generate', [read.sent, schema, options], (): Promise<unknown> => {
        isHere = true;
        return commands.fromChunk(generationCode, (code, parts) =>
          code.generate(parts, read, asked, options),
        );
      }),
    );
    if (isHere || library === null) return output;
    return (await generationCode.get(clock)).transformed(library, output as JsonObject);
  };
  return <const S extends ToolSchema>(prompt: Input, schema: S, options?: GenerateOptions) =>
    generate(prompt, schema, options) as Promise<Arguments<S>>;
}
