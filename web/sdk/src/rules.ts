/** How a table plays, as clients say it. */
import { create } from "@bufbuild/protobuf";
import { type MatchLength, MatchLengthSchema, type RuleSet, RuleSetSchema } from "./gen/gouji/v1/rules_pb.js";

/** A preset's name, and what differs from it. */
export interface Rules {
  preset: string;
  overrides?: Record<string, string>;
}

/** How long a match goes on: so many hands, or until somebody has so many points. */
export type Length = { hands: number } | { target: number };

/** The message of a rule set. */
export function rulesOf(rules: Rules): RuleSet {
  return create(RuleSetSchema, { preset: rules.preset, overrides: rules.overrides ?? {} });
}

/** The message of a length. */
export function lengthOf(length: Length): MatchLength {
  const until =
    "hands" in length
      ? { case: "hands" as const, value: length.hands }
      : { case: "target" as const, value: length.target };
  return create(MatchLengthSchema, { until });
}
