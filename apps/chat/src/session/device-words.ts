import type { DeviceState } from './device-model.js';

interface DeviceWords {
  /** Shown after the name in a list. */
  readonly note: string | null;
  readonly sentence: string;
}

const words: Readonly<Record<DeviceState, DeviceWords>> = {
  unknown: { note: null, sentence: 'It is not known yet whether this browser has a model.' },
  checking: { note: 'checking…', sentence: 'Checking whether this browser has a model.' },
  unavailable: {
    note: 'not supported by this browser',
    sentence: 'This browser has no model that could be used here.',
  },
  downloadable: {
    note: 'can be downloaded',
    sentence: 'This browser’s model can be downloaded. It takes a few gigabytes, once.',
  },
  downloading: { note: 'being downloaded', sentence: 'The browser is downloading its model already.' },
  available: { note: 'ready', sentence: 'The model is ready.' },
};

/** Returns the state of the browser's own model in words. */
export function deviceWords(state: DeviceState): DeviceWords {
  return words[state];
}
