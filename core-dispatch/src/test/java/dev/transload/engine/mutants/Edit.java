/* Copyright 2026 Transload contributors. SPDX-License-Identifier: Apache-2.0 */
package dev.transload.engine.mutants;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * A change to the byte code of a method, at a place that is named by what the source says there. It is refused where
 * that is not found exactly as often as stated, so that a change of the engine shows at once.
 */
final class Edit
{
    private static final String WRONG = Wrong.class.getName().replace('.', '/');

    private final String method;
    private final String what;
    private final Predicate<AbstractInsnNode> isPlace;
    private final int nth;
    private final int of;
    private final BiConsumer<InsnList, AbstractInsnNode> change;
    private final Edit before;

    private Edit(
        final Place place, final BiConsumer<InsnList, AbstractInsnNode> change, final Edit before)
    {
        this.method = place.method;
        this.what = place.what;
        this.isPlace = place.isPlace;
        this.nth = place.nth;
        this.of = place.of;
        this.change = change;
        this.before = before;
    }

    private Edit(final Edit edit, final Edit before)
    {
        this.method = edit.method;
        this.what = edit.what;
        this.isPlace = edit.isPlace;
        this.nth = edit.nth;
        this.of = edit.of;
        this.change = edit.change;
        this.before = before;
    }

    /** A method of the class, by its name, or where that has several, by name and descriptor. */
    static Place in(final String method)
    {
        return new Place(method);
    }

    /** This change and another one. */
    Edit and(final Edit then)
    {
        return new Edit(then, this);
    }

    byte[] apply(final byte[] original)
    {
        final ClassNode node = new ClassNode();
        new ClassReader(original).accept(node, 0);
        apply(node);
        final ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        node.accept(writer);
        return writer.toByteArray();
    }

    private void apply(final ClassNode node)
    {
        if (null != before)
        {
            before.apply(node);
        }

        final List<MethodNode> methods = node.methods.stream()
            .filter((one) -> method.equals(one.name) || method.equals(one.name + one.desc))
            .filter((one) -> 0 == (one.access & Opcodes.ACC_BRIDGE)).toList();
        require(1 == methods.size(), node.name + " has " + methods.size() + " methods " + method + ", expected 1");
        final InsnList code = methods.get(0).instructions;
        final List<AbstractInsnNode> places = new ArrayList<>();
        code.forEach((one) ->
        {
            if (isPlace.test(one))
            {
                places.add(one);
            }
        });
        if (0 == nth)
        {
            require(!places.isEmpty(), node.name + "." + method + " has no " + what);
            places.forEach((one) -> change.accept(code, one));
        }
        else
        {
            require(of == places.size(),
                node.name + "." + method + " has " + places.size() + " of " + what + ", expected " + of);
            change.accept(code, places.get(nth - 1));
        }
    }

    private static void require(final boolean isSo, final String otherwise)
    {
        if (!isSo)
        {
            throw new IllegalStateException(otherwise + ": adapt EngineMutants");
        }
    }

    /** An instruction of a method. */
    static final class Place
    {
        private final String method;
        private String what = "nothing";
        private Predicate<AbstractInsnNode> isPlace = (one) -> false;
        private int nth = 1;
        private int of = 1;

        private Place(final String method)
        {
            this.method = method;
        }

        private Place at(final String named, final Predicate<AbstractInsnNode> test)
        {
            what = named;
            isPlace = test;
            return this;
        }

        /** The call of a method, by the simple names of its class and itself. */
        Place call(final String called)
        {
            return at("call of " + called, (one) -> one instanceof MethodInsnNode &&
                (((MethodInsnNode)one).owner + '.' + ((MethodInsnNode)one).name).endsWith('/' + called));
        }

        /** Where a field is read. */
        Place field(final String field)
        {
            return at("read of field " + field, (one) -> one instanceof FieldInsnNode &&
                ((FieldInsnNode)one).name.equals(field) &&
                (Opcodes.GETFIELD == one.getOpcode() || Opcodes.GETSTATIC == one.getOpcode()));
        }

        /** A constant, int or long. */
        Place constant(final long value)
        {
            return at("constant " + value, (one) -> Long.valueOf(value).equals(valueOf(one)));
        }

        /** Any instruction, by its code of {@link Opcodes}. */
        Place operation(final int opcode)
        {
            return at("operation " + opcode, (one) -> one.getOpcode() == opcode);
        }

        /** Which one, from 1 on, of how many. */
        Place nth(final int one, final int ofAll)
        {
            nth = one;
            of = ofAll;
            return this;
        }

        /** All of the method's results are another number: as of before, and so much more. */
        Edit addToResult(final long more)
        {
            return returns().edit((code, one) -> code.insertBefore(one, sum(typeOfReturn(one), more)));
        }

        /** The method answers this, whatever it finds. */
        Edit answer(final long value)
        {
            return returns().edit((code, one) ->
            {
                code.insertBefore(one, pop(typeOfReturn(one)));
                code.insertBefore(one, push(typeOfReturn(one), value));
            });
        }

        private Place returns()
        {
            nth = 0;
            return at("results", (one) -> one.getOpcode() >= Opcodes.IRETURN && one.getOpcode() <= Opcodes.ARETURN);
        }

        /** What comes of the place is so much more. */
        Edit add(final long more)
        {
            return edit((code, one) -> code.insert(one, sum(typeOf(one), more)));
        }

        /** The last argument of the call is so much more. */
        Edit addToLastArgument(final long more)
        {
            return edit((code, one) ->
            {
                final Type[] types = Type.getArgumentTypes(((MethodInsnNode)one).desc);
                code.insertBefore(one, sum(types[types.length - 1], more));
            });
        }

        /** The call is not made; it seems to have answered a value, if it answers. */
        Edit leaveOut(final long result)
        {
            return edit((code, one) ->
            {
                final MethodInsnNode call = (MethodInsnNode)one;
                final Type[] types = Type.getArgumentTypes(call.desc);
                for (int i = types.length - 1; i >= 0; i--)
                {
                    code.insertBefore(call, pop(types[i]));
                }

                if (Opcodes.INVOKESTATIC != call.getOpcode())
                {
                    code.insertBefore(call, new InsnNode(Opcodes.POP));
                }

                if (Type.VOID_TYPE != typeOf(call))
                {
                    code.insertBefore(call, push(typeOf(call), result));
                }

                code.remove(call);
            });
        }

        /** Another value in place of what comes of the place. */
        Edit give(final long value)
        {
            return edit((code, one) ->
            {
                code.insert(one, push(typeOf(one), value));
                code.insert(one, pop(typeOf(one)));
            });
        }

        /** The next condition behind the place is taken for its opposite. */
        Edit flip()
        {
            return edit((code, one) ->
            {
                final JumpInsnNode jump = nextCondition(one);
                final int opcode = jump.getOpcode();
                jump.setOpcode(opcode >= Opcodes.IFNULL ? opcode ^ 1 : (opcode + 1 ^ 1) - 1);
            });
        }

        /** The next condition behind the place is not looked at: what follows it in the code is done. */
        Edit ignoreCondition()
        {
            return edit((code, one) ->
            {
                final JumpInsnNode jump = nextCondition(one);
                final boolean isOfTwo = jump.getOpcode() >= Opcodes.IF_ICMPEQ && jump.getOpcode() <= Opcodes.IF_ACMPNE;
                code.set(jump, new InsnNode(isOfTwo ? Opcodes.POP2 : Opcodes.POP));
            });
        }

        private static JumpInsnNode nextCondition(final AbstractInsnNode place)
        {
            AbstractInsnNode next = place;
            while (!(next instanceof JumpInsnNode))
            {
                next = next.getNext();
                require(null != next && !(next instanceof FrameNode), "no condition follows the place");
            }

            require(Opcodes.GOTO != next.getOpcode(), "no condition follows the place");
            return (JumpInsnNode)next;
        }

        /** Another method of the same class and types is called. */
        Edit callInstead(final String other)
        {
            return edit((code, one) -> ((MethodInsnNode)one).name = other);
        }

        /** Another field of the same class and type is read. */
        Edit readInstead(final String other)
        {
            return edit((code, one) -> ((FieldInsnNode)one).name = other);
        }

        /** A static method of {@link Wrong} does it: with the same arguments, the object called being the first. */
        Edit by(final String name)
        {
            return edit((code, one) -> code.set(one,
                new MethodInsnNode(Opcodes.INVOKESTATIC, WRONG, name, descriptorOf(one), false)));
        }

        private Edit edit(final BiConsumer<InsnList, AbstractInsnNode> change)
        {
            return new Edit(this, change, null);
        }
    }

    private static Long valueOf(final AbstractInsnNode one)
    {
        final int opcode = one.getOpcode();
        if (one instanceof LdcInsnNode)
        {
            final Object value = ((LdcInsnNode)one).cst;
            return value instanceof Integer || value instanceof Long ? ((Number)value).longValue() : null;
        }

        if (Opcodes.BIPUSH == opcode || Opcodes.SIPUSH == opcode)
        {
            return (long)((IntInsnNode)one).operand;
        }

        return opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5 ? Long.valueOf(opcode - Opcodes.ICONST_0) :
            Opcodes.LCONST_0 == opcode || Opcodes.LCONST_1 == opcode ? Long.valueOf(opcode - Opcodes.LCONST_0) : null;
    }

    /** Of what an instruction leaves on the stack. */
    private static Type typeOf(final AbstractInsnNode one)
    {
        if (one instanceof MethodInsnNode)
        {
            return Type.getReturnType(((MethodInsnNode)one).desc);
        }

        if (one instanceof FieldInsnNode)
        {
            return Type.getType(((FieldInsnNode)one).desc);
        }

        if (one instanceof LdcInsnNode)
        {
            return ((LdcInsnNode)one).cst instanceof Long ? Type.LONG_TYPE : Type.INT_TYPE;
        }

        switch (one.getOpcode())
        {
            case Opcodes.LCONST_0:
            case Opcodes.LCONST_1:
            case Opcodes.LADD:
            case Opcodes.LSUB:
            case Opcodes.LMUL:
            case Opcodes.LDIV:
            case Opcodes.LREM:
            case Opcodes.LAND:
            case Opcodes.LOR:
                return Type.LONG_TYPE;

            default:
                return Type.INT_TYPE;
        }
    }

    private static Type typeOfReturn(final AbstractInsnNode one)
    {
        return Opcodes.LRETURN == one.getOpcode() ? Type.LONG_TYPE :
            Opcodes.ARETURN == one.getOpcode() ? Type.getType(Object.class) : Type.INT_TYPE;
    }

    private static String descriptorOf(final AbstractInsnNode one)
    {
        if (one instanceof MethodInsnNode)
        {
            final MethodInsnNode call = (MethodInsnNode)one;
            return Opcodes.INVOKESTATIC == call.getOpcode() ? call.desc : "(L" + call.owner + ';' +
                call.desc.substring(1);
        }

        final String type = typeOf(one).getDescriptor();
        return '(' + type + type + ')' + type;
    }

    private static InsnList sum(final Type type, final long more)
    {
        final InsnList list = push(type, more);
        list.add(new InsnNode(type.getOpcode(Opcodes.IADD)));
        return list;
    }

    /** Of objects, null is the only constant. */
    private static InsnList push(final Type type, final long value)
    {
        final InsnList list = new InsnList();
        list.add(type.getSort() >= Type.ARRAY ? new InsnNode(Opcodes.ACONST_NULL) :
            Type.LONG_TYPE == type ? new LdcInsnNode(value) : new LdcInsnNode((int)value));
        return list;
    }

    private static InsnList pop(final Type type)
    {
        final InsnList list = new InsnList();
        list.add(new InsnNode(2 == type.getSize() ? Opcodes.POP2 : Opcodes.POP));
        return list;
    }
}
