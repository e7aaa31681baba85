/** The id of an object inside a lab document. */
import * as z from 'zod';

export const LabId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
