/** For svelte-check, which cannot read Vue files. vue-tsc uses the files themselves. */
declare module '*.vue' {
  import type { Component } from 'vue';

  const component: Component;
  export default component;
}
