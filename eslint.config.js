import js from '@eslint/js';
import globals from 'globals';
import svelte from 'eslint-plugin-svelte';
import { defineConfig, globalIgnores } from 'eslint/config';
import vue from 'eslint-plugin-vue';
import tseslint from 'typescript-eslint';

/** Where code of Vue is: its rules take a tenth of the time where there is none. */
const vueFiles = ['**/*.vue', '**/*vue*/**/*.ts', '**/*vue*.ts'];

/** The rules that need types: they take two thirds of the time of all rules. */
const needTypes = {
  files: ['**/*.ts', '**/*.tsx'],
  languageOptions: {
    parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
  },
  rules: {
    '@typescript-eslint/no-floating-promises': 'error',
    '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
    // A `default` branch covers the values that have no `case`: it is written on purpose.
    '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  },
};

export default defineConfig(
  globalIgnores(['**/dist/', '.cache/', 'coverage/', 'test-results/', 'playwright-report/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  tseslint.configs.recommended,
  svelte.configs.recommended,
  vue.configs['flat/recommended'].map((config) =>
    config.rules && !config.files ? { ...config, files: vueFiles } : config,
  ),
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  // Components of tests and benches, each a few lines.
  { files: ['**/*.ts'], rules: { 'vue/one-component-per-file': 'off' } },
  {
    files: ['**/*.vue'],
    languageOptions: { globals: globals.browser, parserOptions: { parser: tseslint.parser } },
    rules: {
      // vue-tsc knows every name, and whether a prop may be absent.
      'no-undef': 'off',
      'vue/require-default-prop': 'off',
      // How lines break is Prettier's.
      'vue/html-closing-bracket-newline': 'off',
      'vue/html-indent': 'off',
      'vue/html-self-closing': 'off',
      'vue/max-attributes-per-line': 'off',
      'vue/singleline-html-element-content-newline': 'off',
      'vue/block-lang': ['error', { script: { lang: 'ts' } }],
      'vue/component-api-style': 'error',
      'vue/define-props-destructuring': 'error',
      'vue/no-unused-refs': 'error',
      'vue/no-v-html': 'error',
      'vue/prefer-use-template-ref': 'error',
    },
  },
  { files: ['**/*.ts', '**/*.tsx'], rules: { '@typescript-eslint/consistent-type-imports': 'error' } },
  // `npm test` has them on one day of four, and in the full tier.
  process.env['BANISTER_TYPED_LINT'] === 'off' ? [] : needTypes,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
    // The compiler of TypeScript knows the names, those of runes too.
    rules: { 'no-undef': 'off' },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: globals.node },
  },
);
