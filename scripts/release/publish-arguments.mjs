// @ts-check

/**
 * The arguments with which npm publishes a file of a version. A prerelease version gets the tag `next`, so that `npm install` without a
 * version does not install it; npm refuses a prerelease without a tag.
 *
 * @param {string} file
 * @param {string} version
 * @returns {string[]}
 */
export function publishArguments(file, version) {
  return ['publish', file, ...(version.includes('-') ? ['--tag', 'next'] : [])];
}
