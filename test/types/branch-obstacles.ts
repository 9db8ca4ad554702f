// An error has its details as JSON: a view reads the obstacles of a branch command from them with one cast.
import { isAgentSessionError, textOf, type BranchObstacle, type QueueItem } from '@banister/session';

export function obstaclesOf(error: unknown): readonly BranchObstacle[] {
  if (!isAgentSessionError(error) || error.code !== 'conflict') return [];
  return error.details['obstacles'] as readonly BranchObstacle[];
}

export const reasons = (error: unknown): readonly string[] =>
  obstaclesOf(error).map(({ reason, description, domains }) => description ?? domains?.join() ?? reason);

export const text = ({ input }: QueueItem): string => textOf(input);
