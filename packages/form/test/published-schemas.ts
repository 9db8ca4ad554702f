import type { JsonObject } from '@banister/session';
import catalogues from './catalogues.json' with { type: 'json' };

/** Schemas of tools as their servers list them. The package, version and licence of each are in `catalogues.json`. */
export const publishedSchemas: readonly (readonly [tool: string, parameters: JsonObject])[] =
  catalogues.flatMap(({ package: source, tools }) =>
    tools.map(({ name, parameters }) => [`${source} ${name}`, parameters as JsonObject] as const),
  );

/** The licences of the packages that the schemas come from. */
export const schemaLicenses: readonly string[] = catalogues.map(({ license }) => license);
