import { describe, expect, it } from 'vitest';
import { describeTurns } from './turns.js';

describeTurns({ describe, it }, expect);
