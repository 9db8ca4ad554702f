import { drawStream } from './draw-stream.mjs';

/**
 * W25: a page with 200 settled messages draws `agents` answers that stream side by side, of `deltas` deltas together; beside a page that
 * draws one answer of as many deltas.
 */
export async function drawAgents(create, { deltas, agents, ...options }) {
  const isTeam = create.name === 'createViewOnAgents';
  const { cpuPerDelta } = await drawStream((given) => create({ ...given, agents }), {
    ...options,
    deltas: isTeam ? deltas / agents : deltas,
    ends: isTeam ? 'done' : undefined,
  });
  return { cpuPerDelta: isTeam ? cpuPerDelta / agents : cpuPerDelta };
}
