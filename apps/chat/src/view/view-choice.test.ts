import { expect, test } from 'vitest';
import { createViewChoice, type ChoicePlaces } from './view-choice.js';

function page(href: string, remembered: string | null = null) {
  const location = { href };
  const kept = new Map<string, string>(remembered === null ? [] : [['banister.view', remembered]]);
  const places: ChoicePlaces = {
    location,
    history: { state: null, replaceState: (_state, _title, url) => void (location.href = String(url)) },
    storage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => void kept.set(key, value) },
  };
  return { location, places };
}

test('the view is React, unless the tab or the address names another view', () => {
  const chosen = (href: string, remembered?: string) =>
    createViewChoice(page(href, remembered).places).current.peek();
  expect(chosen('http://a/')).toBe('react');
  expect(chosen('http://a/', 'vue')).toBe('vue');
  expect(chosen('http://a/?view=vue')).toBe('vue');
  expect(chosen('http://a/?view=react', 'vue')).toBe('react');
});

test('an unknown view is ignored', () => {
  expect(createViewChoice(page('http://a/?view=cobol', 'vue').places).current.peek()).toBe('vue');
  expect(createViewChoice(page('http://a/?view=toString').places).current.peek()).toBe('react');
  expect(createViewChoice(page('http://a/', 'fortran').places).current.peek()).toBe('react');
});

test('a choice is added to the address, and is remembered if the address does not have it', () => {
  const { location, places } = page('http://a/?pace=slow#end');
  createViewChoice(places).choose('vue');
  expect(location.href).toBe('http://a/?pace=slow&view=vue#end');
  location.href = 'http://a/';
  expect(createViewChoice(places).current.peek()).toBe('vue');
});

test('if nothing can be stored, choosing still works', () => {
  const forbidden = () => {
    throw new Error('Forbidden.');
  };
  const { location, places } = page('http://a/');
  const choice = createViewChoice({ ...places, storage: { getItem: forbidden, setItem: forbidden } });
  choice.choose('vue');
  expect(choice.current.peek()).toBe('vue');
  expect(location.href).toBe('http://a/?view=vue');
});
