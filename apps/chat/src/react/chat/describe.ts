import type { ToolCallView } from '@handrail/react';

/** Puts a call in words for the user. */
export type Describe = (call: Pick<ToolCallView, 'tool' | 'arguments' | 'ranWith'>) => string;
