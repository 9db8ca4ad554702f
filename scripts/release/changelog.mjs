// @ts-check

/**
 * The changes of a version, or of `Unreleased`; null if the changelog has no such entry.
 *
 * @param {string} changelog
 * @param {string} version
 * @returns {string | null}
 */
export function changesOf(changelog, version) {
  const entries = changelog.split(/^## /m).slice(1);
  const entry = entries.find((text) => text.startsWith(`[${version}]`));
  return entry === undefined ? null : entry.slice(entry.indexOf('\n')).trim();
}

/**
 * Returns the changelog with the changes of `Unreleased` moved to a version.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date as `2026-11-24`
 */
export function releasedChangelog(changelog, version, date) {
  if (changesOf(changelog, version) !== null)
    throw new Error(`CHANGELOG.md has an entry for ${version} already.`);
  if (!changesOf(changelog, 'Unreleased')) throw new Error('CHANGELOG.md has no unreleased changes.');
  return changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${date}\n`);
}
