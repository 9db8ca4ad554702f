export { relay, type RelayOptions, type RelayProvider } from './relay.js';
