export { planning, type Planning, type PlanningOptions } from './planning.js';
export { planOf, type Plan, type PlanStep, type ShownStep, type StepStatus } from './plan-of.js';
