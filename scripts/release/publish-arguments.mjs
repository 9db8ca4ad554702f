// @ts-check

/**
 * The arguments with which npm publishes a file of a version. One before a release has the tag `next`, so that `npm install` without a version
 * never brings it; npm refuses it without a tag.
 *
 * @param {string} file
 * @param {string} version
 * @returns {string[]}
 */
export function publishArguments(file, version) {
  return ['publish', file, ...(version.includes('-') ? ['--tag', 'next'] : [])];
}
