import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';

/** The choice of a model of the gateway, by its alias. */
export type GatewayKind = `gateway:${string}`;

/** A gateway beside the page, as its server describes it. */
export interface GatewayOffer {
  readonly url: string;
  readonly models: readonly OfferedModel[];
}

interface OfferedModel {
  readonly alias: string;
  /** The vendor's name for the model. */
  readonly name: string;
}

/** Reads the `meta` element that the server of the page adds if it has a key; null if there is none. */
export function gatewayIn(page: Pick<Document, 'querySelector'>): GatewayOffer | null {
  const content = page.querySelector<HTMLMetaElement>('meta[name="banister-gateway"]')?.content;
  if (content === undefined) return null;
  try {
    return offerIn(JSON.parse(content) as JsonValue);
  } catch {
    return null;
  }
}

function offerIn(value: JsonValue): GatewayOffer | null {
  if (!isJsonObject(value) || typeof value.url !== 'string' || !Array.isArray(value.models)) return null;
  const models = value.models.flatMap((model) =>
    isJsonObject(model) && typeof model.alias === 'string' && typeof model.name === 'string'
      ? [{ alias: model.alias, name: model.name }]
      : [],
  );
  return models.length === 0 ? null : { url: value.url, models };
}

export function gatewayKind({ alias }: Pick<OfferedModel, 'alias'>): GatewayKind {
  return `gateway:${alias}`;
}

export function isGateway(kind: string): kind is GatewayKind {
  return kind.startsWith('gateway:');
}

/** Returns the models of a gateway as choices. If there is only one model, its alias is left out. */
export function gatewayLabels({ models }: GatewayOffer): readonly (readonly [GatewayKind, string])[] {
  return models.map((model) => [
    gatewayKind(model),
    models.length === 1 ? `Gateway (${model.name})` : `Gateway: ${model.alias} (${model.name})`,
  ]);
}
