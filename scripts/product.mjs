// @ts-check

/** The name of the product, as people read it. */
export const product = 'Banister';

/** The scope of every package. */
export const scope = '@banister';

/** The condition of `exports` that resolves to the sources, so that no build comes first. It is in no published package. */
export const sourceCondition = `${scope}/source`;

/**
 * The folder of a package, by its name.
 *
 * @param {string} name such as `@banister/session`
 */
export const folderOf = (name) => name.slice(scope.length + 1);
