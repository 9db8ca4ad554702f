import { describe, it } from 'vitest';
import { onDeviceConformance } from './conformance.js';

onDeviceConformance('on-device, tools run inside', 'closed', { describe, it });
onDeviceConformance('on-device, tools asked for', 'open', { describe, it });
