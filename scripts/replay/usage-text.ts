/** The text that `--help` prints. */
export const usageText = `Replays a recorded answer of a model API through a session and the official client, and prints what came of it.

  npm run --silent replay -- --api API --body FILE [options]   one recording, as one line of JSON
  npm run --silent replay -- --index FILE [--chunk …]          every recording of an index, against its facts

  --api API            openai-chat, openai-responses or anthropic-messages
  --body FILE          the recorded body of the response
  --format FORMAT      sse (default): the bytes as they were; jsonl: one event a line, wrapped as events first
  --chunk SIZE         whole (default), a number of bytes, or random:SEED
  --cut BYTES          sends only so many bytes, then closes
  --reset              ends with a reset of the connection in place of an orderly close
  --status N           the status of the response (default 200)
  --content-type TYPE  its content type (default text/event-stream; application/json for a status of 400 or more)

Exit code: 0, also for a recording that fails; 1 when a recording of an index differs from its facts; 2 for bad input.
docs/replay.md says more.
`;
