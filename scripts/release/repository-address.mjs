// @ts-check

/**
 * The web address of the repository, from the field `repository` of the root manifest; null while the field is empty.
 *
 * @param {unknown} field
 * @returns {string | null}
 */
export function repositoryAddress(field) {
  if (field === undefined || field === '') return null;
  const address =
    typeof field === 'string' ? /^(?:git\+)?(https:\/\/[^\s/]+\/\S+?)(?:\.git)?\/?$/.exec(field)?.[1] : null;
  if (!address)
    throw new Error(
      `"repository" of package.json is the https address of the repository; got ${JSON.stringify(field)}.`,
    );
  return address;
}
