/** For svelte-check, which cannot read the files of Vue. For vue-tsc the files themselves come first. */
declare module '*.vue' {
  import type { Component } from 'vue';

  const component: Component;
  export default component;
}
