import type { Operation } from '@banister/session';

/** Returns the part of an operation that fits on a line. */
export function operationWords(operation: Operation): string {
  switch (operation.type) {
    case 'text':
    case 'thinking':
    case 'toolCallPartial':
      return JSON.stringify(operation.delta);
    case 'toolStarted':
      return operation.tool;
    case 'toolProgress':
      return JSON.stringify(operation.patch);
    case 'changesUnattributed':
      return operation.paths.join(', ');
    case 'toolCompleted':
    case 'toolFailed':
      return operation.outcome;
    case 'toolsRequested':
      return operation.calls.map((call) => call.tool).join(', ');
    case 'guardDecided':
      return `${operation.guard}: ${operation.verdict}`;
    case 'confirmationRequested':
      return operation.request.call.tool;
    case 'confirmationResolved':
      return `${operation.decision} by ${operation.by}`;
    case 'roundStarted':
    case 'roundCompleted':
      return `round ${operation.round}`;
    case 'cancelRequested':
      return operation.level;
    case 'committed':
      return `${operation.effects.length} effects`;
    case 'rolledBack':
    case 'undone':
    case 'redone':
      return `${operation.report.done.length} done, ${operation.report.failed.length} failed`;
    case 'queued':
      return operation.steering ? 'steers' : '';
    case 'dequeued':
      return operation.reason;
    case 'steered':
      return `after round ${operation.round}`;
    case 'failed':
      return operation.error.code;
    case 'providerSwitched':
      return `${operation.from.model} → ${operation.to.model}, ${operation.code}`;
    case 'subagent':
      return [operation.inner.type, operationWords(operation.inner as Operation)].filter(Boolean).join(' ');
    case 'retrying':
      return `${operation.code}, in ${Math.round(operation.delayMs)} ms`;
    default:
      return '';
  }
}
