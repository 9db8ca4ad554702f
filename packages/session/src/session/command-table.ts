/** The traits of a command. They decide which session carries it out, when, and with which code. */
interface Command {
  /** The object of a session has a method of its own for the command. Default: the method only passes the command on. */
  readonly own?: true;
  /**
   * `session`: only this session carries it out. `page`: only another session of the same app carries it out. Default: any session does.
   */
  readonly stays?: 'session' | 'page';
  /** `acts`: the command lets tools and models run. `moves`: it also takes effects back, or makes them again. */
  readonly does?: 'acts' | 'moves';
  /** From the call on, views show a turn that starts. */
  readonly starts?: true;
  /** The code of the command is in a chunk of its own. */
  readonly inChunk?: true;
  /**
   * The index of the message among the arguments; for `requeue` and `dequeue`, of the change, which may have no message. If such commands
   * start no turn, they begin in the order of the calls, because each may read files first.
   */
  readonly message?: 0 | 1;
  /** The index of the options of a turn among the arguments. */
  readonly options?: 0 | 1 | 2;
}

/** Every command of a session, by the name of its method. */
export const commandTable = {
  send: { does: 'acts', starts: true, message: 0, options: 1 },
  turn$: { own: true, stays: 'session' },
  generate: { stays: 'page', does: 'acts', starts: true, options: 2 },
  retry: { does: 'acts', starts: true, options: 0 },
  regenerate: { does: 'moves', starts: true, inChunk: true },
  edit: { does: 'moves', starts: true, message: 1 },
  switchTo: { does: 'moves', starts: true, inChunk: true },
  clear: { starts: true, inChunk: true },
  compact: { does: 'acts', starts: true, inChunk: true },
  uncompact: { inChunk: true },
  cancel: {},
  respond: { does: 'acts' },
  attend: { own: true, stays: 'page' },
  previewOf: {},
  configure: { own: true, stays: 'session' },
  undo: { does: 'moves' },
  redo: { does: 'moves' },
  touch: { own: true, stays: 'page' },
  resume: { does: 'acts' },
  abandon: { does: 'acts' },
  enqueue: { does: 'acts', message: 0, options: 1 },
  requeue: { message: 1 },
  dequeue: { message: 1 },
  resumeQueue: { does: 'acts' },
  steer: { does: 'acts', message: 0 },
  accept: { does: 'moves' },
  reject: { does: 'moves' },
  setMode: {},
  revoke: {},
} as const satisfies Record<string, Command>;

type Table = typeof commandTable;

/** A command of a session, by the name of its method. */
export type CommandName = keyof Table;

type With<T> = { [N in CommandName]: Table[N] extends T ? N : never }[CommandName];

/** The commands that the object of a session only passes on. */
export type PassedCommand = Exclude<CommandName, With<{ own: true }>>;
/** The commands that another session can carry out. */
export type SentCommand = Exclude<CommandName, With<{ stays: 'session' }>>;
/**
 * The commands of a session that runs elsewhere. `generate` is missing, because the schema of a library is an object that cannot leave its
 * page.
 */
export type FollowedCommand = Exclude<SentCommand, With<{ stays: 'page' }>>;
/** The commands whose code is in a chunk of its own. */
export type ChunkCommand = With<{ inChunk: true }>;

/** Returns the traits of a command. */
export const traitsOf = (name: CommandName): Command => commandTable[name];

/** Returns the names of the commands with these traits. */
export function commandsThat<Name extends CommandName>(are: (command: Command) => boolean): readonly Name[] {
  return (Object.keys(commandTable) as CommandName[]).filter((name) => are(traitsOf(name))) as Name[];
}
