import type { CompactionSetting } from '../compaction/compaction.js';
import { LazyCode } from '../ports/lazy-code.js';
import type { CompactionSettings } from '../turn/turn-request.js';

/** The stages of compaction, and the requests of a conversation that was compacted: a chunk of their own, since most conversations are short. */
const stagesCode = new LazyCode(() => import('../compaction/compaction-stages.js'));

/** Returns the compaction of a session; with null its conversations are compacted by command only. */
export function compactionOf(setting: CompactionSetting | null): CompactionSettings {
  return {
    isAutomatic: setting !== null,
    load: async (clock) => (await stagesCode.get(clock)).compactionStages(setting),
  };
}
