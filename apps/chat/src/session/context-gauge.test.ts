import type { AgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { expect, test } from 'vitest';
import { contextGauge, sameGauge } from './context-gauge.js';

const gaugeAt = (pressure: number | null) =>
  contextGauge({ contextPressure: signal(pressure) } as unknown as AgentSession);

test('audit-V14 the gauge says how much room is left, shows a number from 50 per cent on, and warns from 80 per cent on', () => {
  expect(gaugeAt(null)).toBe(null);
  expect(gaugeAt(0)).toEqual({
    percent: 0,
    words: '100 % of the model’s room is left',
    number: null,
    isHigh: false,
  });
  expect(gaugeAt(0.42)).toEqual({
    percent: 42,
    words: '58 % of the model’s room is left',
    number: null,
    isHigh: false,
  });
  expect(gaugeAt(0.49)?.number).toBe(null);
  expect(gaugeAt(0.5)?.number).toBe('50 %');
  expect(gaugeAt(0.79)?.isHigh).toBe(false);
  expect(gaugeAt(0.8)?.isHigh).toBe(true);
  expect(gaugeAt(1)).toMatchObject({ percent: 100, words: '0 % of the model’s room is left' });
  expect(gaugeAt(1.2)).toEqual({
    percent: 100,
    words: 'The model has no room for the whole chat',
    number: '100 %',
    isHigh: true,
  });
});

test('a gauge is drawn again when its words change', () => {
  expect(sameGauge(gaugeAt(0.42), gaugeAt(0.421))).toBe(true);
  expect(sameGauge(gaugeAt(0.42), gaugeAt(0.43))).toBe(false);
  expect(sameGauge(gaugeAt(1), gaugeAt(1.2))).toBe(false);
  expect(sameGauge(null, gaugeAt(0))).toBe(false);
  expect(sameGauge(null, null)).toBe(true);
});
