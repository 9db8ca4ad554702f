import { signal, type AgentSession } from '@banister/session';
import { expect, test } from 'vitest';
import { contextGauge, sameGauge } from './context-gauge.js';

const gaugeAt = (pressure: number | null) =>
  contextGauge({ contextPressure: signal(pressure) } as unknown as AgentSession);

test('the gauge has the share of the context in words, and warns from 80 per cent on', () => {
  expect(gaugeAt(null)).toBe(null);
  expect(gaugeAt(0)).toEqual({ percent: 0, words: '0 % of the context used', isHigh: false });
  expect(gaugeAt(0.42)).toEqual({ percent: 42, words: '42 % of the context used', isHigh: false });
  expect(gaugeAt(0.79)?.isHigh).toBe(false);
  expect(gaugeAt(0.8)?.isHigh).toBe(true);
  expect(gaugeAt(1)).toMatchObject({ percent: 100, words: '100 % of the context used' });
  expect(gaugeAt(1.2)).toEqual({ percent: 100, words: 'The context does not hold it all', isHigh: true });
});

test('a gauge is drawn again when its words change', () => {
  expect(sameGauge(gaugeAt(0.42), gaugeAt(0.421))).toBe(true);
  expect(sameGauge(gaugeAt(0.42), gaugeAt(0.43))).toBe(false);
  expect(sameGauge(gaugeAt(1), gaugeAt(1.2))).toBe(false);
  expect(sameGauge(null, gaugeAt(0))).toBe(false);
  expect(sameGauge(null, null)).toBe(true);
});
