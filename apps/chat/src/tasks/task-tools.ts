/** The ids of the tools of tasks. */
export const startTaskId = 'tasks.start';
export const listTasksId = 'tasks.list';
export const taskResultId = 'tasks.result';
export const cancelTaskId = 'tasks.cancel';
