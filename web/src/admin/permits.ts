/** Who may do what here, by the role in a token. Pure; the server decides, this only spares a try. */

/** A role of those who look after the game. */
export type Role = "moderator" | "operator" | "director";

/** What is done on these pages, in groups that one role may do alike. */
export type Deed = "look" | "moderate" | "operate" | "openCards";

const MAY: Record<Deed, readonly Role[]> = {
  look: ["moderator", "operator", "director"],
  moderate: ["moderator", "operator"],
  operate: ["operator"],
  openCards: ["director"],
};

/** A token and what it says of its holder. */
export interface Pass {
  role: Role;
  name: string;
  token: string;
  /** When it is over, in milliseconds since 1970. */
  expires: number;
}

/** Read a token; null for what is none of a moderator, an operator or a director, or is over at `now`. */
export function readPass(text: string, now: number): Pass | null {
  const token = text.trim();
  try {
    const claims = JSON.parse(decode(token.split(".")[1] ?? ""));
    const { aud: role, name, exp } = claims;
    if (!MAY.look.includes(role) || typeof name !== "string" || !(exp * 1000 > now)) return null;
    return { role, name, token, expires: exp * 1000 };
  } catch {
    return null;
  }
}

/** The pass by which something is done; null where none of them is good for it. */
export function passFor(deed: Deed, passes: readonly Pass[], now: number): Pass | null {
  const good = passes.filter((pass) => pass.expires > now);
  return MAY[deed].map((role) => good.find((pass) => pass.role === role)).find(Boolean) ?? null;
}

/** One pass of each role: a new one takes the place of the old. */
export function withPass(passes: readonly Pass[], pass: Pass): Pass[] {
  return [...passes.filter((each) => each.role !== pass.role), pass];
}

function decode(part: string): string {
  const bytes = atob(part.replace(/-/g, "+").replace(/_/g, "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)));
}
