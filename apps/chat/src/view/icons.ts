/** Lines in a square of 16, 1.5 wide. */
export const icons = {
  pencil: 'M10.5 3 13 5.5 5.5 13H3v-2.5zM9 4.5 11.5 7',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v2.75h-2.75',
  previous: 'M9.75 4 6 8l3.75 4',
  next: 'M6.25 4 10 8l-3.75 4',
  up: 'M8 12.5v-9M4.25 7 8 3.25 11.75 7',
  down: 'M8 3.5v9M4.25 9 8 12.75 11.75 9',
  remove: 'M4.25 4.25l7.5 7.5M11.75 4.25l-7.5 7.5',
  waits: 'M8 2.25a5.75 5.75 0 1 0 0 11.5 5.75 5.75 0 0 0 0-11.5zM8 5v3.25l2 1.25',
  joins: 'M3.5 3v4a2.5 2.5 0 0 0 2.5 2.5h6.25M9.5 6.5l3 3-3 3',
} as const;

export type IconName = keyof typeof icons;
