import { describe, expect, it } from 'vitest';
import { deviceTurns } from './turns.js';

deviceTurns({ describe, it }, expect);
