import { useSignalValue } from '@banister/react';
import type { Compacting } from '../../session/compacting.js';
import type { CompactionLine } from '../../session/compaction-line.js';

interface CompactionMarkProps {
  readonly line: CompactionLine;
  readonly compacting: Compacting;
}

/** One line, which unfolds the text that the model reads instead of the messages. */
export function CompactionMark({ line, compacting }: CompactionMarkProps) {
  const canTakeBack = useSignalValue(compacting.canTakeBack);
  const { id, words, summary, details } = line;
  return (
    <details className="compaction">
      <summary>{words}</summary>
      <div className="compaction-content">
        <p>You still see every message. The model reads a shorter form of them:</p>
        {summary !== null && <p className="compaction-summary">{summary}</p>}
        {details.map((text) => (
          <p key={text}>{text}</p>
        ))}
        <button
          type="button"
          className="button"
          disabled={!canTakeBack}
          onClick={() => compacting.takeBack(id)}
        >
          Take back
        </button>
      </div>
    </details>
  );
}
