// @ts-check

/** The name of the product, for people. */
export const product = 'Banister';

/** The scope of every package. */
export const scope = '@banister';

/** The condition of `exports` that resolves to the sources, so that no build is needed. Published packages do not have it. */
export const sourceCondition = `${scope}/source`;

/**
 * The folder of a package, by its name.
 *
 * @param {string} name such as `@banister/session`
 */
export const folderOf = (name) => name.slice(scope.length + 1);
