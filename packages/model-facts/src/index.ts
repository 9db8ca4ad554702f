export { modelFacts, type ModelFacts } from './model-facts.js';
export { withModelFacts, type ModelFactsOptions } from './with-model-facts.js';
