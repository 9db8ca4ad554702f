export { backgroundTasks, type BackgroundTasks, type BackgroundTasksOptions } from './background-tasks.js';
export type { Task, TaskInfo, TaskQuestion, TaskStatus } from './task.js';
export { readTaskEnd, type ToldEnd } from './told-end.js';
