"""Facts of a machine, read from the files that kernels of many kinds keep; what cannot be read is unknown."""

from pathlib import Path

import pytest

from assay.adapters.container_image import image_digest
from assay.adapters.gpu_files import GpuReading, read_gpus
from assay.adapters.machine import LocalMachine, box_id, machine_class
from assay.adapters.processor import cores, cpu_model
from assay.core.facts import Cores, Gpu
from assay.core.record import Absent
from assay.ports import Machine

X86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\ncpu cores\t: 2\n"
ARM = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n"
NVRM = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc 12.3.0\n"
NVRM_OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (dvs-builder)\n"
A100 = "Model: \t\t NVIDIA A100-SXM4-80GB\nIRQ:   \t\t 30\nGPU UUID: \t GPU-1\n"
TWO = Cores(physical=1, logical=2, available=2)


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("text", "model"),
    [
        (X86, "AMD EPYC 7763 64-Core Processor"),
        (X86.replace("EPYC", "Ryzen") + "\nmodel name\t: Other\n", "Other"),
        (ARM, "ARM implementer 0x41 part 0xd0c variant 0x3"),
        ("cpu\t\t: POWER9, altivec supported\n", "POWER9, altivec supported"),
        ("processor : 0\nuarch\t: sifive,u74-mc\n", "sifive,u74-mc"),
    ],
)
def test_the_model_of_a_processor_is_what_the_kernel_calls_it(tmp_path: Path, text: str, model: str) -> None:
    assert cpu_model(tree(tmp_path, {"proc/cpuinfo": text})) == model


def test_an_unreadable_processor_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.adapters.processor._SYSCTL", str(tmp_path / "absent"))
    assert cpu_model(tmp_path) == "unknown"
    assert cpu_model(tree(tmp_path, {"proc/cpuinfo": "processor : 0\n"})) == "unknown"


def test_a_core_is_a_list_of_siblings(tmp_path: Path) -> None:
    topology = "sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"
    root = tree(tmp_path, {topology.format(cpu): f"{cpu % 2},{cpu % 2 + 2}\n" for cpu in range(4)})
    assert cores(root).physical == 2


@pytest.mark.parametrize(
    ("files", "most"),
    [
        ({"sys/fs/cgroup/cpu.max": "50000 100000\n"}, 1),
        ({"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "100000\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 1),
    ],
)
def test_a_quota_bounds_the_cores_we_may_use(tmp_path: Path, files: dict[str, str], most: int) -> None:
    assert cores(tree(tmp_path, files)).available == most


@pytest.mark.parametrize("text", ["max 100000\n", "", "-1 100000", "1 0", "x"])
def test_no_quota_leaves_what_affinity_allows(tmp_path: Path, text: str) -> None:
    free = cores(tmp_path / "empty").available
    assert cores(tree(tmp_path, {"sys/fs/cgroup/cpu.max": text})).available == free


@pytest.mark.parametrize(
    ("files", "environ", "reading"),
    [
        ({}, {"CUDA_VERSION": "12.4.1"}, GpuReading("none", "none", "none")),
        (
            {
                "proc/driver/nvidia/version": NVRM,
                "proc/driver/nvidia/gpus/0/information": A100,
                "proc/driver/nvidia/gpus/1/information": A100,
            },
            {"CUDA_VERSION": "12.4.1"},
            GpuReading(Gpu(model="NVIDIA A100-SXM4-80GB", count=2), "535.104.05", "12.4.1"),
        ),
        (
            {
                "proc/driver/nvidia/version": NVRM_OPEN,
                "proc/driver/nvidia/gpus/0/information": A100,
                "proc/driver/nvidia/gpus/1/information": "Model: \t NVIDIA T4\n",
                "usr/local/cuda/version.json": '{"cuda": {"name": "CUDA SDK", "version": "12.2.0"}}',
            },
            {},
            GpuReading(Gpu(model="NVIDIA A100-SXM4-80GB + NVIDIA T4", count=2), "550.54.15", "12.2.0"),
        ),
        ({"dev/nvidia0": ""}, {}, GpuReading("unknown", "unknown", "unknown")),
        (
            {
                "proc/driver/nvidia/version": "?",
                "proc/driver/nvidia/gpus/0/information": "Model: Unknown\n",
                "usr/local/cuda/version.json": "{",
            },
            {},
            GpuReading("unknown", "unknown", "unknown"),
        ),
        ({"dev/kfd": ""}, {}, GpuReading("unknown", "kernel 6.1", "none")),
        (
            {
                "dev/kfd": "",
                "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 16\nsimd_count 0\n",
                "sys/class/kfd/kfd/topology/nodes/1/properties": "simd_count 440\ngfx_target_version 90010\ndevice_id 29704\n",
                "sys/module/amdgpu/version": "6.3.6\n",
            },
            {},
            GpuReading(Gpu(model="AMD gfx 90010 device 0x7408", count=1), "6.3.6", "none"),
        ),
        (
            {"dev/kfd": "", "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 16\nsimd_count 0\n"},
            {},
            GpuReading("none", "none", "none"),
        ),
        (
            {"dev/kfd": "", "sys/class/kfd/kfd/topology/nodes/1/properties": "simd_count 4\n", "sys/module/amdgpu/version": ""},
            {},
            GpuReading("unknown", "kernel 6.1", "none"),
        ),
    ],
)
def test_accelerators_are_what_the_drivers_files_tell(
    tmp_path: Path, files: dict[str, str], environ: dict[str, str], reading: GpuReading
) -> None:
    assert read_gpus(tree(tmp_path, files), environ, "6.1") == reading


@pytest.mark.parametrize(
    ("cpu", "gpu", "name"),
    [
        ("AMD EPYC 7763 64-Core Processor", "none", "linux-x86_64-amd-epyc-7763-2c"),
        ("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", "none", "linux-x86_64-intel-xeon-platinum-8370c-2c"),
        ("AMD Ryzen 7 5700U with Radeon Graphics", "none", "linux-x86_64-amd-ryzen-7-5700u-2c"),
        ("../../etc; rm\n", "none", "linux-x86_64-..-..-etc-rm-2c"),
        ("unknown", Gpu(model="NVIDIA A100-SXM4-80GB", count=1), "linux-x86_64-nvidia-a100-sxm4-80gb-1x"),
        ("unknown", "none", "unknown"),
        ("AMD EPYC", "unknown", "unknown"),
        ("AMD EPYC", Gpu(model="NVIDIA T4", count="unknown"), "unknown"),
    ],
)
def test_the_class_is_made_of_the_processor_or_the_accelerator(cpu: str, gpu: Gpu | Absent, name: str) -> None:
    assert machine_class("linux", "x86_64", cpu, TWO, gpu) == name


def test_a_class_without_a_count_or_system_is_unknown() -> None:
    assert machine_class("linux", "x86_64", "AMD", Cores(physical=1, logical=2, available="unknown"), "none") == "unknown"
    assert machine_class("unknown", "x86_64", "AMD", TWO, "none") == "unknown"


def test_a_box_has_a_name_that_does_not_tell_which_it_is(tmp_path: Path) -> None:
    one, other = tree(tmp_path / "one", {"etc/machine-id": "abc123\n"}), tree(tmp_path / "other", {"etc/machine-id": "abc124\n"})
    assert box_id(one) == box_id(one) != box_id(other)
    assert len(box_id(one)) == 16
    assert "abc123" not in box_id(one)


def test_without_a_machine_id_the_boot_tells_boxes_apart(tmp_path: Path) -> None:
    boot = "proc/sys/kernel/random/boot_id"
    one = tree(tmp_path / "one", {"etc/machine-id": "", boot: "1"})
    assert box_id(one) != box_id(tree(tmp_path / "other", {boot: "2"}))


def test_outside_a_container_there_is_no_image(tmp_path: Path) -> None:
    assert image_digest(tree(tmp_path, {"proc/1/cgroup": "0::/init.scope\n", "var/lib/dpkg/status": "Package: a\n"}), {}) == "none"


def test_the_job_may_name_the_image(tmp_path: Path) -> None:
    assert image_digest(tmp_path, {"ASSAY_IMAGE_DIGEST": "sha256:abc"}) == "sha256:abc"


@pytest.mark.parametrize("mark", [{".dockerenv": ""}, {"run/.containerenv": ""}, {"proc/1/cgroup": "0::/kubepods/besteffort/pod1\n"}])
def test_inside_a_container_the_image_is_its_installed_packages(tmp_path: Path, mark: dict[str, str]) -> None:
    root = tree(tmp_path, mark)
    assert image_digest(root, {}) == "unknown"
    tree(root, {"etc/os-release": "ID=debian\n"})
    assert image_digest(root, {}) == "unknown"
    tree(root, {"var/lib/dpkg/status": "Package: a\nVersion: 1\n"})
    first = image_digest(root, {})
    assert first.startswith("packages:")
    assert image_digest(root, {}) == first
    tree(root, {"var/lib/dpkg/status": "Package: a\nVersion: 2\n"})
    assert image_digest(root, {}) not in (first, "unknown")


def test_a_package_list_that_cannot_be_read_is_unknown(tmp_path: Path) -> None:
    root = tree(tmp_path, {".dockerenv": "", "lib/apk/db/installed": "P:a\n"})
    (root / "var/lib/dpkg/status").mkdir(parents=True)
    assert image_digest(root, {}) == "unknown"


def test_the_variable_of_a_container_runtime_counts(tmp_path: Path) -> None:
    assert image_digest(tmp_path, {"container": "podman"}) == "unknown"


def test_this_very_machine_answers_with_whole_facts() -> None:
    machine: Machine = LocalMachine({})
    facts = machine.facts()
    assert facts.cores.logical != "unknown"
    assert facts.ram_bytes != "unknown"
    assert facts.ram_bytes > 2**20
    assert machine.facts() is facts
    assert machine.environment().lockfiles == {}
