// `undoable`: what every adapter must do.
import { storeConformance, type StoreFact } from '@banister/testing';
import { beforeEach, describe, it, vi } from 'vitest';
import { boards, gapsOfMutable, gapsOfRunes } from './boards.js';

const drafts = {
  'in-place': 'its changes go through drafts of a library, which never change an object in place',
};

const gaps: Readonly<Record<string, { readonly [F in StoreFact]?: string }>> = {
  reduxStore: drafts,
  'immerValue with Immer': drafts,
  'immerValue with Mutative': drafts,
  piniaStore: gapsOfMutable,
  'runesState of a plain object': gapsOfRunes,
};

for (const [name, make] of Object.entries(boards)) {
  const skip = gaps[name];
  storeConformance(name, () => make(), { describe, it }, { skip });
  describe('in development', () => {
    beforeEach(() => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      return () => warn.mockRestore();
    });
    storeConformance(name, () => make({ development: true }), { describe, it }, { skip });
  });
}
